"""Records a chat: taps in front of the app and of the model's service, and the file."""
