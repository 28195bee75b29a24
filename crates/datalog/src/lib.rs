//! datalog
