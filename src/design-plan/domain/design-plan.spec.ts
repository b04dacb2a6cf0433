import { ConflictError } from '../../shared/errors/index.js';
import { DesignPlan } from './design-plan.entity.js';

const NOW = Temporal.Instant.from('2027-01-04T10:00:00Z');
const CONTENT = { planName: 'P', createdDate: NOW, weeks: [] };
const newPlan = () => new DesignPlan(1, CONTENT, NOW);
const archiveAndRestore = (plan: DesignPlan) => {
  plan.archive(NOW);
  plan.restore(NOW);
};

describe('a plan can be applied', () => {
  it.each<[state: string, change: (plan: DesignPlan) => void, isApplicable: boolean]>([
    ['when it is new', () => undefined, true],
    ['after a replacement', (plan) => void plan.replace({ planName: 'Q', createdDate: NOW, weeks: [] }, NOW), true],
    ['not while it is archived', (plan) => plan.archive(NOW), false],
    ['when it is restored', archiveAndRestore, true],
    ['not while it is a template', (plan) => void plan.replace({ ...CONTENT, template: true }, NOW), false],
  ])('%s', (_state, change, isApplicable) => {
    const plan = newPlan();
    change(plan);
    const apply = () => plan.requireApplicable();
    if (isApplicable) expect(apply).not.toThrow();
    else expect(apply).toThrow(ConflictError);
  });
});
