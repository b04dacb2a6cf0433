export { EXPORT_PAGE_SIZE, findOwnIds, type ExportedClient, type ExportPage } from './export-page.js';
