//! Which value is in which register: the state of a register allocator that goes through
//! straight-line code once and, when registers run out, evicts the value used last.
//!
//! It knows registers and slots of the stack by number; the emitter of a processor moves values.

/// A value for the allocator.
pub(crate) type Key = u32;

/// The holder of a register without a value.
const NOBODY: Key = Key::MAX;

/// Where a value is when it is not in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home<M> {
    Nowhere,
    /// A slot of the stack.
    Slot(u32),
    /// Memory that is not the allocator's.
    Memory(M),
}

#[derive(Clone, Copy, Debug)]
struct Place<M> {
    register: Option<u8>,
    home: Home<M>,
    /// Whether the home does not have the value yet.
    dirty: bool,
}

/// Registers, values and slots.
#[derive(Debug)]
pub(crate) struct Alloc<M> {
    places: Vec<Place<M>>,
    holders: [Key; 32],
    count: u8,
    /// Registers that nobody has.
    free: u32,
    /// Registers that are free again after the instruction.
    temporary: u32,
    /// Registers that the instruction at hand uses.
    locked: u32,
    /// Registers that keep their value for a whole loop.
    pinned: u32,
    free_slots: Vec<u32>,
    /// Slots to be freed after the instruction.
    parting: Vec<u32>,
    slots: u32,
}

impl<M: Copy> Alloc<M> {
    /// With a number of registers, 32 at most.
    pub(crate) fn new(count: u8) -> Alloc<M> {
        Alloc {
            places: Vec::new(),
            holders: [NOBODY; 32],
            count,
            free: u32::MAX >> (32 - u32::from(count)),
            temporary: 0,
            locked: 0,
            pinned: 0,
            free_slots: Vec::new(),
            parting: Vec::new(),
            slots: 0,
        }
    }

    pub(crate) fn add_keys(&mut self, count: usize) -> Key {
        let first = self.places.len();
        let fresh = Place { register: None, home: Home::Nowhere, dirty: false };
        self.places.resize(first + count, fresh);
        first as Key
    }

    /// Number of slots that were ever in use at once.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    pub(crate) fn register(&self, key: Key) -> Option<u8> {
        self.places[key as usize].register
    }

    pub(crate) fn home(&self, key: Key) -> Home<M> {
        self.places[key as usize].home
    }

    pub(crate) fn set_home(&mut self, key: Key, home: Home<M>) {
        self.places[key as usize].home = home;
    }

    pub(crate) fn is_dirty(&self, key: Key) -> bool {
        self.places[key as usize].dirty
    }

    /// The value in its home is the value.
    pub(crate) fn clean(&mut self, key: Key) {
        self.places[key as usize].dirty = false;
    }

    pub(crate) fn lock(&mut self, register: u8) {
        self.locked |= 1 << register;
    }

    pub(crate) fn pin(&mut self, register: u8) {
        self.pinned |= 1 << register;
    }

    pub(crate) fn is_pinned(&self, register: u8) -> bool {
        self.pinned >> register & 1 == 1
    }

    pub(crate) fn pinned(&self) -> u32 {
        self.pinned.count_ones()
    }

    pub(crate) fn unpin_all(&mut self) {
        self.pinned = 0;
    }

    /// A free register, locked, as a temporary.
    pub(crate) fn free_register(&mut self) -> Option<u8> {
        if self.free == 0 {
            return None;
        }
        let r = self.free.trailing_zeros() as u8;
        self.free &= !(1 << r);
        self.make_temporary(r);
        Some(r)
    }

    fn make_temporary(&mut self, r: u8) {
        self.holders[usize::from(r)] = NOBODY;
        self.temporary |= 1 << r;
        self.lock(r);
    }

    fn make_free(&mut self, r: u8) {
        self.holders[usize::from(r)] = NOBODY;
        self.free |= 1 << r;
        self.locked &= !(1 << r);
    }

    /// The value that should leave its register: the one used last, of `next_use`; rather one that
    /// needs no store.
    pub(crate) fn victim(&self, next_use: impl Fn(Key) -> usize) -> Option<Key> {
        let fixed = self.locked | self.pinned;
        let candidates = self.holders[..usize::from(self.count)].iter().enumerate();
        candidates
            .filter(|(r, key)| fixed >> r & 1 == 0 && **key != NOBODY)
            .map(|(_, &key)| key)
            .max_by_key(|&key| (next_use(key), !self.is_dirty(key)))
    }

    /// Gives a register to a value.
    pub(crate) fn attach(&mut self, key: Key, register: u8, dirty: bool) {
        self.holders[usize::from(register)] = key;
        self.temporary &= !(1 << register);
        let place = &mut self.places[key as usize];
        place.register = Some(register);
        place.dirty = dirty;
    }

    /// Takes the register of a value; it stays a locked temporary until the instruction ends.
    pub(crate) fn detach(&mut self, key: Key) -> Option<u8> {
        let r = self.places[key as usize].register.take()?;
        self.make_temporary(r);
        Some(r)
    }

    /// Forgets that a value is in a register, which is free at once.
    pub(crate) fn drop_register(&mut self, key: Key) {
        if let Some(r) = self.places[key as usize].register.take() {
            self.make_free(r);
        }
    }

    /// Ends the life of a value. Its slot is free after the instruction.
    pub(crate) fn kill(&mut self, key: Key) {
        self.drop_register(key);
        if let Home::Slot(slot) = self.home(key) {
            self.parting.push(slot);
            self.set_home(key, Home::Nowhere);
        }
        self.clean(key);
    }

    /// Frees a temporary before the instruction ends.
    pub(crate) fn free_temporary(&mut self, register: u8) {
        if self.temporary >> register & 1 == 1 {
            self.temporary &= !(1 << register);
            self.make_free(register);
        }
    }

    /// After an instruction: nothing is locked, temporaries are gone.
    pub(crate) fn end(&mut self) {
        self.free |= self.temporary;
        self.temporary = 0;
        self.locked = 0;
        if !self.parting.is_empty() {
            self.free_slots.append(&mut self.parting);
        }
    }

    pub(crate) fn take_slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    pub(crate) fn free_slot(&mut self, slot: u32) {
        self.parting.push(slot);
    }

    /// Values in registers, with their registers.
    pub(crate) fn held(&self) -> impl Iterator<Item = (u8, Key)> + use<M> {
        let holders = self.holders;
        (0..self.count).map(move |r| (r, holders[usize::from(r)])).filter(|(_, k)| *k != NOBODY)
    }
}
