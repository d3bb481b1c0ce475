//! What a session keeps beside variables: tables, by container and name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Object;

/// Objects by container and name.
#[derive(Debug, Default)]
pub struct Objects {
    objects: Mutex<BTreeMap<(String, String), Arc<dyn Object>>>,
}

impl Objects {
    /// The object of this name; `make` makes it when there is none.
    pub fn lookup_or_create(
        &self,
        container: &str,
        name: &str,
        make: impl FnOnce() -> Arc<dyn Object>,
    ) -> Arc<dyn Object> {
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (container.to_owned(), name.to_owned());
        Arc::clone(objects.entry(key).or_insert_with(make))
    }
}
