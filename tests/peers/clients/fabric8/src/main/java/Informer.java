import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An informer and a watch of fabric8 see ConfigMaps come, change and go. Both watch by WebSocket.
 * The server is that of $KUBECONFIG. Each event must come within a minute.
 */
public final class Informer {
    private static final String NAMESPACE = "default";
    private static final String NAME = "fabric8";

    private static void expect(BlockingQueue<String> seen, String event) throws InterruptedException {
        String found = seen.poll(60, TimeUnit.SECONDS);
        if (!event.equals(found)) {
            throw new IllegalStateException("expected \"" + event + "\", saw \"" + found + "\"");
        }
        System.out.println(event);
    }

    /** The other ConfigMaps of the namespace are no concern of this program. */
    private static void note(BlockingQueue<String> seen, String what, ConfigMap map) {
        if (NAME.equals(map.getMetadata().getName())) {
            seen.add(what + " " + (map.getData() == null ? "-" : map.getData().get("key")));
        }
    }

    private static SharedIndexInformer<ConfigMap> inform(KubernetesClient client, BlockingQueue<String> seen) {
        return client.configMaps().inNamespace(NAMESPACE).inform(new ResourceEventHandler<ConfigMap>() {
            @Override
            public void onAdd(ConfigMap map) {
                note(seen, "informer added", map);
            }

            @Override
            public void onUpdate(ConfigMap old, ConfigMap map) {
                note(seen, "informer updated", map);
            }

            @Override
            public void onDelete(ConfigMap map, boolean isStateUnknown) {
                note(seen, "informer deleted", map);
            }
        });
    }

    private static Watch watch(KubernetesClient client, BlockingQueue<String> seen) {
        return client.configMaps().inNamespace(NAMESPACE).withName(NAME).watch(new Watcher<ConfigMap>() {
            @Override
            public void eventReceived(Action action, ConfigMap map) {
                note(seen, "watch " + action, map);
            }

            @Override
            public void onClose(WatcherException cause) {
                seen.add("watch closed: " + cause);
            }
        });
    }

    private static void write(KubernetesClient client, String value) {
        client.resource(new ConfigMapBuilder().withNewMetadata().withName(NAME).withNamespace(NAMESPACE)
            .endMetadata().addToData("key", value).build()).serverSideApply();
    }

    public static void main(String[] arguments) throws InterruptedException {
        BlockingQueue<String> informed = new LinkedBlockingQueue<>();
        BlockingQueue<String> watched = new LinkedBlockingQueue<>();
        try (KubernetesClient client = new KubernetesClientBuilder().build();
             SharedIndexInformer<ConfigMap> informer = inform(client, informed);
             Watch watch = watch(client, watched)) {
            write(client, "one");
            expect(informed, "informer added one");
            expect(watched, "watch ADDED one");
            write(client, "two");
            expect(informed, "informer updated two");
            expect(watched, "watch MODIFIED two");
            client.configMaps().inNamespace(NAMESPACE).withName(NAME).delete();
            expect(informed, "informer deleted two");
            expect(watched, "watch DELETED two");
        }
        System.out.println("passed");
        System.exit(0); // threads of the HTTP client would keep the process for a minute
    }
}
