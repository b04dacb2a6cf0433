import type { EntityManager } from '@mikro-orm/core';
import type { Actor } from './actor.js';
import { ActorSessions } from './actor-sessions.js';
import type { SessionVariables } from './session-variables.js';
import type { AnyEntityManager } from './tenant-entity-manager.js';

/** Returns an actor's session variables in the form that `em.fork({ session })` expects. */
export function toDatabaseSession(em: AnyEntityManager, actor: Actor): { variables: SessionVariables } {
  return { variables: ActorSessions.of((em as EntityManager).config).variablesOf(actor) };
}

/** Forks the EntityManager. The fork's transactions act as the given actor. */
export function forkForActor<Em extends AnyEntityManager>(em: Em, actor: Actor): Em {
  return (em as EntityManager).fork({ session: toDatabaseSession(em, actor) }) as Em;
}

/** Returns the Clinic of a person or link, if an earlier statement of this process has looked it up. */
export function findActorClinicId(em: AnyEntityManager, actor: Actor): number | undefined {
  return ActorSessions.of((em as EntityManager).config).findClinicId(actor);
}
