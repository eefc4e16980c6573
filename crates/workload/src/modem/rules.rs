//! Which units an instance may have at once.
//!
//! | rule | from |
//! |---|---|
//! | no HDLC with V.110 | Peintner et al., section 2 |
//! | MNP5 only with V.32bis, V.34 or V.90 | Peintner et al., section 2 |
//! | MNP5 only over MNP4, V.42bis only over LAPM | MNP classes; ITU-T V.42bis |
//! | no error correction with V.110 | ITU-T V.110 adapts rates only |
//!
//! The paper gives the first two as examples of its rules; the others are those of the
//! protocols themselves.

use super::units::{Kind, Unit};

/// What a call has agreed on, in the order in which it is established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Session {
    pub modulation: Unit,
    pub framing: Unit,
    pub correction: Option<Unit>,
    pub compression: Option<Unit>,
}

impl Session {
    /// Its units, in the order in which they are established.
    pub fn units(self) -> impl Iterator<Item = Unit> {
        [Some(self.modulation), Some(self.framing), self.correction, self.compression].into_iter().flatten()
    }

    /// Whether the rules allow these units together.
    pub fn is_allowed(self) -> bool {
        let has = |unit| self.units().any(|own| own == unit);
        let fast = [Unit::V32bis, Unit::V34, Unit::V90].contains(&self.modulation);
        let digital = has(Unit::V110);
        let in_place = self.modulation.kind() == Kind::Line
            && self.framing.kind() == Kind::Framing
            && self.correction.is_none_or(|unit| unit.kind() == Kind::Correction)
            && self.compression.is_none_or(|unit| unit.kind() == Kind::Compression);
        let line = !digital || (!has(Unit::Hdlc) && self.correction.is_none());
        let compression = match self.compression {
            Some(Unit::Mnp5) => fast && has(Unit::Mnp4),
            Some(_) => has(Unit::Lapm),
            None => true,
        };
        in_place && line && compression
    }

    /// Every session that the rules allow.
    pub fn all() -> Vec<Session> {
        let maybe = |units: [Unit; 2]| [None, Some(units[0]), Some(units[1])];
        let mut all = Vec::new();
        for modulation in Unit::MODULATIONS {
            for framing in Unit::FRAMINGS {
                for correction in maybe(Unit::CORRECTIONS) {
                    for compression in maybe(Unit::COMPRESSIONS) {
                        all.push(Session { modulation, framing, correction, compression });
                    }
                }
            }
        }
        all.retain(|session| session.is_allowed());
        all
    }
}
