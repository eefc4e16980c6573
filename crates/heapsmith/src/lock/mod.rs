//! Heaps that several threads share, and heaps behind the standard interfaces.
//!
//! ```text
//!   #[global_allocator] ──▶ Global ──▶ lock ──▶ heap over a region in the static itself
//!   Vec::new_in, Box::new_in ──▶ &Locked ──▶ lock ──▶ heap          (feature `allocator-api2`)
//! ```
//!
//! [`RawLock`] says how to wait. [`Spin`] waits actively, which suits several
//! cores; firmware with interrupts implements the trait by masking them.

#[cfg(feature = "allocator-api2")]
mod api2;
mod global;
mod locked;
mod raw;

pub use global::Global;
pub use locked::Locked;
pub use raw::RawLock;
#[cfg(target_has_atomic = "8")]
pub use raw::Spin;
