/**
 * The `Cache-Control` header of responses with client data: the default value and `no-store` (docs/decisions.md,
 * "Response headers").
 */
export const CLIENT_DATA_CACHE_CONTROL = 'max-age=1, no-cache, no-store';
