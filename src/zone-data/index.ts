export { ZoneDataRecomputation, type ChangedTimeCounts } from './zone-data.recomputation.js';
export { ZoneDataAdoption } from './zone-data.entity.js';
export { ZoneDataModule } from './zone-data.module.js';
export { ZoneDataState } from './zone-data.state.js';
