import { RECORD_FACTORIES } from '../support/contract/tenant.js';
import { createStatusRow, createPutStatusRow, type StatusRows } from '../support/status-row.js';

const everywhere = true;
const foreign = RECORD_FACTORIES.book;

export const rows: StatusRows = {
  'POST /gateway/admin/clinic': { own: 201 },
  'GET /gateway/admin/clinic': { own: 200 },
  'POST /gateway/admin/clinic/import': { own: 200 },
  'PUT /gateway/admin/clinic/external/{externalId}': createPutStatusRow(RECORD_FACTORIES.clinic, { everywhere }),
  'GET /gateway/admin/clinic/{id}': createStatusRow(RECORD_FACTORIES.clinic, 200, { everywhere }),
  'PATCH /gateway/admin/clinic/{id}': createStatusRow(RECORD_FACTORIES.clinic, 200, { everywhere }),
  'DELETE /gateway/admin/clinic/{id}': createStatusRow(RECORD_FACTORIES.clinic, 204, { everywhere }),
  'POST /gateway/admin/book': { own: 201 },
  'GET /gateway/admin/book': { own: 200 },
  'POST /gateway/admin/book/import': { own: 200 },
  'PUT /gateway/admin/book/external/{externalId}': createPutStatusRow(RECORD_FACTORIES.catalogueBook, { foreign }),
  'GET /gateway/admin/book/{id}': createStatusRow(RECORD_FACTORIES.catalogueBook, 200, { foreign }),
  'PATCH /gateway/admin/book/{id}': createStatusRow(RECORD_FACTORIES.catalogueBook, 200, { foreign }),
  'DELETE /gateway/admin/book/{id}': createStatusRow(RECORD_FACTORIES.catalogueBook, 204, { foreign }),
  'POST /gateway/profile/clinic/care-provider': { own: 201 },
  'GET /gateway/profile/clinic/care-provider': { own: 200 },
  'POST /gateway/profile/clinic/care-provider/import': { own: 200 },
  'POST /gateway/profile/clinic/care-provider/{id}/reassign': createStatusRow(RECORD_FACTORIES.busyCareProvider, 200),
  'PUT /gateway/profile/clinic/care-provider/external/{externalId}': createPutStatusRow(RECORD_FACTORIES.careProvider),
  'GET /gateway/profile/clinic/care-provider/{id}': createStatusRow(RECORD_FACTORIES.careProvider, 200),
  'PATCH /gateway/profile/clinic/care-provider/{id}': createStatusRow(RECORD_FACTORIES.careProvider, 200),
  'DELETE /gateway/profile/clinic/care-provider/{id}': createStatusRow(RECORD_FACTORIES.careProvider, 204),
  'POST /gateway/profile/clinic/client': { own: 201 },
  'GET /gateway/profile/clinic/client': { own: 200 },
  'POST /gateway/profile/clinic/client/import': { own: 200 },
  'PUT /gateway/profile/clinic/client/external/{externalId}': createPutStatusRow(RECORD_FACTORIES.client),
  'GET /gateway/profile/clinic/client/{id}': createStatusRow(RECORD_FACTORIES.client, 200),
  'PATCH /gateway/profile/clinic/client/{id}': createStatusRow(RECORD_FACTORIES.client, 200),
  'DELETE /gateway/profile/clinic/client/{id}': createStatusRow(RECORD_FACTORIES.client, 204),
  'PUT /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': createStatusRow(RECORD_FACTORIES.pair, 204),
  'DELETE /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': createStatusRow(
    RECORD_FACTORIES.assignedPair,
    204,
  ),
  'POST /gateway/profile/clinic/book': { own: 201 },
  'GET /gateway/profile/clinic/book': { own: 200 },
  'POST /gateway/profile/clinic/book/import': { own: 200 },
  'PUT /gateway/profile/clinic/book/external/{externalId}': createPutStatusRow(RECORD_FACTORIES.book),
  'GET /gateway/profile/clinic/book/{id}': createStatusRow(RECORD_FACTORIES.book, 200),
  'PATCH /gateway/profile/clinic/book/{id}': createStatusRow(RECORD_FACTORIES.book, 200),
  'DELETE /gateway/profile/clinic/book/{id}': createStatusRow(RECORD_FACTORIES.book, 204),
  'GET /gateway/profile/caregiver/client': { own: 200 },
  'GET /gateway/profile/caregiver/client/{id}': createStatusRow(RECORD_FACTORIES.assignedClient, 200),
  'GET /gateway/profile/caregiver/care-provider': { own: 200 },
  'GET /gateway/profile/caregiver/care-provider/{id}': createStatusRow(RECORD_FACTORIES.careProvider, 200, {
    peer: 200,
  }),
  'GET /gateway/profile/caregiver/book': { own: 200 },
  'GET /gateway/profile/caregiver/book/{id}': createStatusRow(RECORD_FACTORIES.book, 200, { peer: 200 }),
};

/**
 * Fields that refer to a record, and the response status if this record belongs to another Clinic or does not exist.
 */
export const references = {
  clinicId: 403,
  CareProviderId: 422,
  caregiverId: 422,
  toCareProviderId: 422,
  clientId: 422,
  clientIds: 422,
  bookId: 422,
  bookIdList: 422,
  // An import responds with 200, because each line has its own result.
  careProviderExternalIds: 200,
};
