import type pg from 'pg';

/** Inserts a Clinic in Winnipeg with one Care Provider and one Client, in a database without time zone data. */
export async function insertWinnipegClinic(client: pg.Client): Promise<void> {
  await client.query(`
    delete from zone_data;
    insert into clinic (name, time_zone, active, created_at) values ('C', 'America/Winnipeg', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, email, active, created_at) values (1, 'K', 'k@example.org', true, now());
    insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at) values (1, 1, 1, now())`);
}
