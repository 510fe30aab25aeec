"""Surface form of English utterances: sentences, questions, feelings. Shared by coders, patients and measures."""
