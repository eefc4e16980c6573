//! Heaps that several threads share, and heaps behind the standard interfaces.
//!
//! ```text
//!   #[global_allocator] ──▶ Global ──▶ lock ──▶ heap over a StaticRegion
//!   Vec::new_in, Box::new_in ──▶ &Locked ──▶ lock ──▶ heap          (feature `allocator-api2`)
//! ```
//!
//! | lock | waits | feature | for |
//! |---|---|---|---|
//! | [`Spin`] | in a loop | – | threads on several cores, where no interrupt uses the heap |
//! | [`CriticalSection`] | with interrupts masked | `critical-section` | firmware |
//! | [`LockApi`] | as the lock that it wraps does | `lock_api` | `parking_lot`, `spin`, a system's own |

#[cfg(feature = "allocator-api2")]
mod api2;
#[cfg(feature = "critical-section")]
mod critical_section;
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
mod global;
#[cfg(feature = "lock_api")]
mod lock_api;
mod locked;
mod raw;

#[cfg(feature = "critical-section")]
pub use self::critical_section::CriticalSection;
#[cfg(feature = "lock_api")]
pub use self::lock_api::LockApi;
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
pub use global::Global;
pub use locked::Locked;
pub use raw::RawLock;
#[cfg(target_has_atomic = "8")]
pub use raw::Spin;
