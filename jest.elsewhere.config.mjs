// Half an hour off UTC, daylight saving on the southern calendar: whatever leaks the system's zone shows here.
process.env.TZ = 'Australia/Lord_Howe';
export { default } from './jest.config.mjs';
