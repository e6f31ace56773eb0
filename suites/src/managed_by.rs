//! Jobs that are left to another controller.
