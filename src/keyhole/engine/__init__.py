"""The engine: `facade.Engine` has one method per use case; its topics lie beside it."""
