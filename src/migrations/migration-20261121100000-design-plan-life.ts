import { Migration } from '@mikro-orm/migrations';

/** Revisions, archiving and templates of Design Plans, and a version for `If-Match`. */
export class Migration20261121100000DesignPlanLife extends Migration {
  override up(): void {
    this.addSql(`
      alter table design_plan
        add column revision integer not null default 1,
        add column version integer not null default 1,
        add column template boolean not null default false,
        add column archived_at timestamptz(3)`);
    this.addSql(`create index design_plan_name on design_plan (clinic_id, plan_name, id)`);
    this.addSql(`create index design_plan_created on design_plan (clinic_id, created_date, id)`);
    this.addSql(`
      create table design_plan_revision (
        clinic_id bigint not null,
        design_plan_id bigint not null,
        revision integer not null,
        plan_name text not null,
        caregiver_id bigint,
        appointment_title text,
        appointment_desc text,
        weeks jsonb not null,
        superseded_at timestamptz(3) not null,
        primary key (design_plan_id, revision),
        foreign key (clinic_id, design_plan_id) references design_plan (clinic_id, id)
      )`);
    this.addSql(`create index design_plan_revision_plan on design_plan_revision (clinic_id, design_plan_id, revision)`);
  }

  override down(): void {
    this.addSql(`drop table design_plan_revision`);
    this.addSql(`drop index design_plan_name`);
    this.addSql(`drop index design_plan_created`);
    this.addSql(`
      alter table design_plan
        drop column revision,
        drop column version,
        drop column template,
        drop column archived_at`);
  }
}
