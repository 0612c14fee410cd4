"""The data files of chats: their shape, names for ids and times, and how JSON is compared."""
