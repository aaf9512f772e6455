/** In the place of `debug`, which simple-peer logs with: browsers get nothing of that. */
export default () => () => {}
