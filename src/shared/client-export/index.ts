export { EXPORT_PAGE_SIZE, findClientRecordIds, type ExportedClient, type ExportPage } from './export-page.js';
