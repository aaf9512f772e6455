/** Paths of the picture on the button, in a square of 24. */
export const CHAT_PATHS = 'M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5'
