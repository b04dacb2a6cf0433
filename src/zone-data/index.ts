export { Recomputation, type ZoneReport } from './recomputation.js';
export { ZoneDataUse } from './zone-data.entity.js';
export { ZoneDataModule } from './zone-data.module.js';
export { ZoneDataState } from './zone-data.state.js';
