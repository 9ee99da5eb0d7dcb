"""Pure functions of guarantees: how they convert into each other and how they add up."""
