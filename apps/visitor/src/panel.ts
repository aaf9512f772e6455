/** What `widget.js` loads on intent: the element, with the SDK. */
import './widget.ts'
