import type { ComponentChildren, JSX } from 'preact';
import { Command, Facts, Skeleton, State } from '../parts/basics.tsx';
import { Fault } from '../parts/fault.tsx';
import { useCall } from '../rpc/use-call.ts';

/** What the manifest says. */
export interface ShownFacts {
  readonly persistence: string;
  readonly shared_store: boolean;
  readonly transports: readonly string[];
  readonly auth_oidc_enabled: boolean;
  readonly strict_requests: boolean;
  readonly sinks: readonly string[];
  readonly metrics_enabled: boolean;
}

/** How the service is set up. */
export function ServiceFacts(): JSX.Element {
  const manifest = useCall('Manifest', {});
  const facts = manifest.data?.payload;
  const rows = (shown: ShownFacts): readonly (readonly [string, ComponentChildren])[] => [
    ['Store', shown.shared_store ? 'shared with other nodes' : 'memory of this node'],
    ['Transports', shown.transports.join(', ')],
    ['Sinks', shown.sinks.length === 0 ? 'none' : shown.sinks.join(', ')],
    [
      'Identity provider',
      shown.auth_oidc_enabled ? <State tone="ok">On</State> : <State tone="off">None</State>,
    ],
    ['Unknown members', shown.strict_requests ? 'refused' : 'named in a header'],
    ['Metrics', shown.metrics_enabled ? <State tone="ok">Served</State> : <State tone="off">Off</State>],
  ];
  return (
    <section class="panel" aria-labelledby="service">
      <header>
        <h2 id="service">Service</h2>
        <Command line="msg manifest" />
      </header>
      {manifest.error !== undefined && <Fault error={manifest.error} retry={manifest.reload} />}
      {facts === undefined && manifest.error === undefined && <Skeleton rows={1} />}
      {facts !== undefined && (
        <div class="body">
          <Facts isOneLine rows={rows(facts)} />
        </div>
      )}
    </section>
  );
}
