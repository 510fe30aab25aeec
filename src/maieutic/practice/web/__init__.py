"""The pages of practice: one module for what one kind of person does."""
