// A zone with an offset of half hours and southern daylight saving time. Code that depends on the system's zone fails here.
process.env.TZ = 'Australia/Lord_Howe';
export { default } from './jest.config.mjs';
