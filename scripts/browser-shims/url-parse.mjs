/** In the place of `url-parse`: tus-js-client needs no more of it than `new URL(link, base)`. */
export default URL
