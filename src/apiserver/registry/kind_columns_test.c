#include "apiserver/registry/kind.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "base/duration.h"
#include "json/builder.h"
#include "json/path.h"
#include "testing/test.h"

static struct json_doc *cells_of(const struct kind *kind, const struct json_value *object,
                                 timestamp now)
{
    SCOPED(json_builder) out = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_array(&out);
    kind_builtin_cells(kind, object, now, &out);
    json_builder_end(&out);
    CHECK_OK(json_builder_finish(&out, &doc));
    return doc;
}

static void check_cells(const struct kind *kind, const struct json_value *object, timestamp now,
                        const struct json_value *expected)
{
    OWNED(json_doc) cells = cells_of(kind, object, now);
    SCOPED(buf) seen = {0};
    SCOPED(buf) wanted = {0};
    json_write(&seen, json_doc_root(cells));
    json_write(&wanted, expected);
    CHECK_EQ(buf_str(&seen), buf_str(&wanted));
    CHECK_EQ(json_count(json_doc_root(cells)), kind->column_count);
}

static void check_columns(const struct kind *kind, const struct json_value *columns)
{
    const struct json_value *column;
    size_t at = 0;
    CHECK_EQ(kind->column_count, json_count(columns));
    JSON_FOREACH (key, column, columns) {
        const struct kind_column *ours = &kind->columns[at++];
        int64_t priority = -1;
        CHECK_EQ(str_from_c(ours->name), json_path_str(column, "name"));
        CHECK_EQ(str_from_c(ours->type), json_path_str(column, "type"));
        CHECK_EQ(str_from_c(ours->format), json_path_str(column, "format"));
        CHECK(json_to_int64(json_path(column, "priority"), &priority));
        CHECK_EQ((int64_t)ours->priority, priority);
    }
}

/* Tables that a real API server answered, and the objects they show. */
TEST(kind_cells_are_those_of_kubernetes)
{
    struct str rest = test_data("kinds/tables.jsonl"), line;
    while (str_cut(&rest, '\n', &line) || !str_is_empty(line)) {
        OWNED(json_doc) doc = NULL;
        CHECK_OK(json_read(line, &doc));
        const struct json_value *row = json_doc_root(doc);
        timestamp now = 0;
        TEST_CASE("%.*s", STR_ARG(json_path_str(row, "id")));
        const struct kind *kind =
            kinds_find((struct gvr){json_path_str(row, "group"), json_path_str(row, "version"),
                                    json_path_str(row, "resource")});
        CHECK(timestamp_read(json_path_str(row, "now"), &now));
        check_columns(kind, json_path(row, "columns"));
        check_cells(kind, json_path(row, "object"), now, json_path(row, "cells"));
    }
}

/* clang-format off: texts of one row belong together */
static const struct {
    const char *name, *group, *version, *resource, *object, *cells;
} cases
    [] =
        {
            {"a role has its time",              "rbac.authorization.k8s.io",    "v1", "roles",
             "{'metadata':{'name':'r','creationTimestamp':'1970-01-01T00:00:00Z'}}",                                                                                                                                                                                                                                                                                         "['r','1970-01-01T00:00:00Z']"                                             },
            {"a pod that waits",                 "",                             "v1", "pods",
             "{'metadata':{'name':'p','creationTimestamp':'1970-01-01T00:00:00Z'},'spec':{'containers':[{'name':'a'},{'name':'b'}]},'status':{'phase':'Pending'}}",
             "['p','0/2','Pending','0','100s','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                                     },
            {"a pod that runs",                  "",                             "v1", "pods",
             "{'metadata':{'name':'p','creationTimestamp':'1970-01-01T00:00:00Z'},'spec':{'nodeName':'n','containers':[{'name':'a'}],'readinessGates':[{'conditionType':'g'}]},"
             "'status':{'phase':'Running','podIP':'10.0.0.1','podIPs':[{'ip':'10.0.0.1'}],'conditions':[{'type':'Ready','status':'True'}],"
             "'containerStatuses':[{'name':'a','ready':true,'restartCount':2,'state':{'running':{}},'lastState':{'terminated':{'exitCode':1,'finishedAt':'1970-01-01T00:01:00Z'}}}]}}",
             "['p','1/1','Running','2 (40s ago)','100s','10.0.0.1','n','<none>','0/1']"                                                                                                                                                                                                                                                                                                                                                                 },
            {"a pod whose init container fails", "",                             "v1", "pods",
             "{'metadata':{'name':'p'},'spec':{'initContainers':[{'name':'i'},{'name':'j'}],'containers':[{'name':'a'}]},'status':{'phase':'Pending',"
             "'initContainerStatuses':[{'name':'i','restartCount':3,'state':{'terminated':{'exitCode':2}}},{'name':'j','restartCount':0,'state':{'waiting':{'reason':'PodInitializing'}}}]}}",
             "['p','0/1','Init:ExitCode:2','3','<unknown>','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                        },
            {"a pod with a sidecar",             "",                             "v1", "pods",
             "{'metadata':{'name':'p'},'spec':{'initContainers':[{'name':'i','restartPolicy':'Always'},{'name':'j'}],'containers':[{'name':'a'}]},'status':{'phase':'Pending',"
             "'initContainerStatuses':[{'name':'i','ready':true,'started':true,'restartCount':0,'state':{'running':{}}},{'name':'j','restartCount':0,'state':{'waiting':{'reason':'PodInitializing'}}}]}}",
             "['p','1/2','Init:1/2','0','<unknown>','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                               },
            {"a pod that crashes",               "",                             "v1", "pods",
             "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'a'}]},'status':{'phase':'Running','containerStatuses':[{'name':'a','restartCount':5,'state':{'waiting':{'reason':'CrashLoopBackOff'}}}]}}",
             "['p','0/1','CrashLoopBackOff','5','<unknown>','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                       },
            {"a pod that goes",                  "",                             "v1", "pods",
             "{'metadata':{'name':'p','deletionTimestamp':'1970-01-01T00:00:00Z'},'spec':{'containers':[]},'status':{'phase':'Running'}}",
             "['p','0/0','Terminating','0','<unknown>','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                            },
            {"a pod that went well stays so",    "",                             "v1", "pods",
             "{'metadata':{'name':'p','deletionTimestamp':'1970-01-01T00:00:00Z'},'spec':{'containers':[{'name':'a'}]},'status':{'phase':'Succeeded','containerStatuses':[{'name':'a','restartCount':0,'state':{'terminated':{'exitCode':0,'reason':'Completed'}}}]}}",
             "['p','0/1','Completed','0','<unknown>','<none>','<none>','<none>','<none>']"                                                                                                                                                                                                                                                                                                                                                              },
            {"a node",                           "",                             "v1", "nodes",
             "{'metadata':{'name':'n','labels':{'node-role.kubernetes.io/worker':'','node-role.kubernetes.io/control-plane':'','kubernetes.io/role':'x'}},'spec':{'unschedulable':true},"
             "'status':{'conditions':[{'type':'Ready','status':'True'}],'addresses':[{'type':'InternalIP','address':'10.0.0.1'}],'nodeInfo':{'kubeletVersion':'v1','osImage':'os'}}}",
             "['n','Ready,SchedulingDisabled','control-plane,worker,x','<unknown>','v1','10.0.0.1','<none>','os','<unknown>','<unknown>']"                                                                                                                                                                                                                                                                                                              },
            {"a node nobody has seen",           "",                             "v1", "nodes",                           "{'metadata':{'name':'n'}}",
             "['n','Unknown','<none>','<unknown>','','<none>','<none>','<unknown>','<unknown>','<unknown>']"                                                                                                                                                                                                                                                                                                                                            },
            {"a service",                        "",                             "v1", "services",
             "{'metadata':{'name':'s'},'spec':{'type':'NodePort','clusterIP':'10.0.0.1','selector':{'b':'2','a':'1'},'ports':[{'port':80,'nodePort':30080,'protocol':'TCP'},{'port':53,'protocol':'UDP'}]}}",
             "['s','NodePort','10.0.0.1','<none>','80:30080/TCP,53/UDP','<unknown>','a=1,b=2']"                                                                                                                                                                                                                                                                                                                                                         },
            {"a service without address",        "",                             "v1", "services",
             "{'metadata':{'name':'s'},'spec':{'type':'LoadBalancer'}}",                                                                                                                                                                                                                                                                                                     "['s','LoadBalancer','<none>','<pending>','<none>','<unknown>','<none>']"  },
            {"a balanced service",               "",                             "v1", "services",
             "{'metadata':{'name':'s'},'spec':{'type':'LoadBalancer','externalIPs':['9.9.9.9']},'status':{'loadBalancer':{'ingress':[{'ip':'2.2.2.2'},{'hostname':'h'},{'ip':'1.1.1.1'},{'ip':'2.2.2.2'}]}}}",
             "['s','LoadBalancer','<none>','1.1.1.1,2.2.2.2,h,9.9.9.9','<none>','<unknown>','<none>']"                                                                                                                                                                                                                                                                                                                                                  },
            {"an event of the other group",      "events.k8s.io",                "v1", "events",
             "{'metadata':{'name':'e'},'regarding':{'kind':'Pod','name':'p','fieldPath':'x'},'note':' hello ','reason':'R','type':'Normal','reportingController':'c','reportingInstance':'i','eventTime':'1970-01-01T00:01:00.000000Z','deprecatedFirstTimestamp':null}",
             "['40s','Normal','R','pod/p','x','c, i','hello','40s',1,'e']"                                                                                                                                                                                                                                                                                                                                                                              },
            {"a series",                         "",                             "v1", "events",
             "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod'},'series':{'count':7,'lastObservedTime':'1970-01-01T00:01:30.000000Z'},'firstTimestamp':'1970-01-01T00:00:00Z'}",
             "['10s','','','pod','','','','100s',7,'e']"                                                                                                                                                                                                                                                                                                                                                                                                },
            {"a volume",                         "",                             "v1", "persistentvolumes",
             "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteMany','ReadWriteOnce'],'persistentVolumeReclaimPolicy':'Retain','claimRef':{'namespace':'n','name':'c'},'storageClassName':'fast','volumeMode':'Block'},'status':{'phase':'Bound'}}",
             "['v','1Gi','RWO,RWX','Retain','Bound','n/c','fast','<unset>','','<unknown>','Block']"                                                                                                                                                                                                                                                                                                                                                     },
            {"a claim",                          "",                             "v1", "persistentvolumeclaims",
             "{'metadata':{'name':'c','deletionTimestamp':'1970-01-01T00:00:00Z'},'spec':{'volumeName':'v'},'status':{'phase':'Bound','capacity':{'storage':'1Gi'},'accessModes':['ReadOnlyMany']}}",
             "['c','Terminating','v','1Gi','ROX','','<unset>','<unknown>','<unset>']"                                                                                                                                                                                                                                                                                                                                                                   },
            {"a claim with an empty class",      "",                             "v1", "persistentvolumeclaims",
             "{'metadata':{'name':'c'},'spec':{'volumeAttributesClassName':''},'status':{'phase':'Pending'}}",
             "['c','Pending','','','','','','<unknown>','<unset>']"                                                                                                                                                                                                                                                                                                                                                                                     },
            {"endpoints",                        "",                             "v1", "endpoints",
             "{'metadata':{'name':'e'},'subsets':[{'addresses':[{'ip':'1.1.1.1'},{'ip':'fd::1'}],'ports':[{'port':80},{'port':81}]},{'addresses':[{'ip':'2.2.2.2'}]}]}",
             "['e','1.1.1.1:80,[fd::1]:80,1.1.1.1:81 + 2 more...','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                         },
            {"a quota",                          "",                             "v1", "resourcequotas",
             "{'metadata':{'name':'q'},'status':{'hard':{'pods':'10','limits.cpu':'2','cpu':'1'},'used':{'pods':'3'}}}",
             "['q','cpu: 0/1, pods: 3/10','limits.cpu: 0/2','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                               },
            {"a replication controller",         "",                             "v1", "replicationcontrollers",
             "{'metadata':{'name':'r'},'spec':{'replicas':2,'selector':{'a':'b'},'template':{'spec':{'containers':[{'name':'x','image':'i:1'},{'name':'y','image':'j:2'}]}}},'status':{'replicas':1}}",
             "['r',2,1,0,'<unknown>','x,y','i:1,j:2','a=b']"                                                                                                                                                                                                                                                                                                                                                                                            },
            {"a replica set",                    "apps",                         "v1", "replicasets",
             "{'metadata':{'name':'r'},'spec':{'replicas':2,'selector':{'matchExpressions':[{'key':'a','operator':'In','values':['c','b']}]}},'status':{'replicas':1,'readyReplicas':1}}",
             "['r',2,1,1,'<unknown>','','','a in (b,c)']"                                                                                                                                                                                                                                                                                                                                                                                               },
            {"a daemon set",                     "apps",                         "v1",
             "daemonsets",                                                                                                "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'spec':{'nodeSelector':{'x':'y'},'containers':[{'name':'c','image':'i'}]}}},'status':{'desiredNumberScheduled':3,'currentNumberScheduled':2,'numberReady':1}}",
             "['d',3,2,1,0,0,'x=y','<unknown>','c','i','a=b']"                                                                                                                                                                                                                                                                                                                                                                                          },
            {"a stateful set",                   "apps",                         "v1", "statefulsets",
             "{'metadata':{'name':'s'},'spec':{'replicas':2},'status':{'readyReplicas':1}}",                                                                                                                                                                                                                                                                                 "['s','1/2','<unknown>','','']"                                            },
            {"a revision",                       "apps",                         "v1", "controllerrevisions",
             "{'metadata':{'name':'r','ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet','name':'web','controller':true}]},'revision':3}",
             "['r','statefulset.apps/web',3,'<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                               },
            {"a job that runs",                  "batch",                        "v1", "jobs",
             "{'metadata':{'name':'j'},'spec':{'completions':3,'selector':{'matchLabels':{'a':'b'}}},'status':{'succeeded':1,'startTime':'1970-01-01T00:00:30Z'}}",
             "['j','Running','1/3','70s','<unknown>','','','a=b']"                                                                                                                                                                                                                                                                                                                                                                                      },
            {"a job that is done",               "batch",                        "v1", "jobs",
             "{'metadata':{'name':'j'},'spec':{'parallelism':2},'status':{'startTime':'1970-01-01T00:00:30Z','completionTime':'1970-01-01T00:00:35Z','conditions':[{'type':'SuccessCriteriaMet','status':'True'},{'type':'Complete','status':'True'}]}}",
             "['j','Complete','0/1 of 2','5s','<unknown>','','','<none>']"                                                                                                                                                                                                                                                                                                                                                                              },
            {"a cron job",                       "batch",                        "v1", "cronjobs",
             "{'metadata':{'name':'c'},'spec':{'schedule':'* * * * *','suspend':false,'jobTemplate':{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}}}}}",
             "['c','* * * * *','<none>','False',0,'<none>','<unknown>','c','i','<none>']"                                                                                                                                                                                                                                                                                                                                                               },
            {"an autoscaler",                    "autoscaling",                  "v2", "horizontalpodautoscalers",
             "{'metadata':{'name':'h'},'spec':{'scaleTargetRef':{'kind':'Deployment','name':'d'},'minReplicas':1,'maxReplicas':3,'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{'averageUtilization':80}}},{'type':'External','external':{'target':{'averageValue':'5'}}},{'type':'Pods'}]},"
             "'status':{'currentReplicas':2,'currentMetrics':[{'type':'Resource','resource':{'current':{'averageUtilization':50}}}]}}",
             "['h','Deployment/d','cpu: 50%/80%, <unknown>/5 (avg) + 1 more...','1',3,2,'<unknown>']"                                                                                                                                                                                                                                                                                                                                                   },
            {"a binding",                        "rbac.authorization.k8s.io",    "v1", "rolebindings",
             "{'metadata':{'name':'b'},'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'u'},{'kind':'ServiceAccount','namespace':'n','name':'s'},{'kind':'User','name':'v'}]}",
             "['b','Role/r','<unknown>','u, v','','n/s']"                                                                                                                                                                                                                                                                                                                                                                                               },
            {"an ingress",                       "networking.k8s.io",            "v1", "ingresses",
             "{'metadata':{'name':'i'},'spec':{'ingressClassName':'nginx','tls':[{}],'rules':[{'host':'a'},{'host':'b'},{'host':'c'},{'host':'d'},{'host':'e'}]},'status':{'loadBalancer':{'ingress':[{'ip':'1.1.1.1'}]}}}",
             "['i','nginx','a,b,c + 2 more...','1.1.1.1','80, 443','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                        },
            {"an ingress for all hosts",         "networking.k8s.io",            "v1", "ingresses",
             "{'metadata':{'name':'i'}}",                                                                                                                                                                                                                                                                                                                                    "['i','<none>','*','','80','<unknown>']"                                   },
            {"an ingress class",                 "networking.k8s.io",            "v1", "ingressclasses",
             "{'metadata':{'name':'i'},'spec':{'controller':'c','parameters':{'apiGroup':'g','kind':'K','name':'n'}}}",
             "['i','c','K.g/n','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                            },
            {"a policy for all pods",            "networking.k8s.io",            "v1", "networkpolicies",
             "{'metadata':{'name':'p'},'spec':{'podSelector':{}}}",                                                                                                                                                                                                                                                                                                          "['p','<none>','<unknown>']"                                               },
            {"an address",                       "networking.k8s.io",            "v1", "ipaddresses",
             "{'metadata':{'name':'10.0.0.1'},'spec':{'parentRef':{'group':'','resource':'services','namespace':'n','name':'s'}}}",
             "['10.0.0.1','services/n/s','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                  },
            {"a budget",                         "policy",                       "v1", "poddisruptionbudgets",
             "{'metadata':{'name':'p'},'spec':{'minAvailable':1},'status':{'disruptionsAllowed':2}}",
             "['p','1','N/A',2,'<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                            },
            {"a budget in percent",              "policy",                       "v1", "poddisruptionbudgets",
             "{'metadata':{'name':'p'},'spec':{'maxUnavailable':'20%'}}",                                                                                                                                                                                                                                                                                                    "['p','N/A','20%',0,'<unknown>']"                                          },
            {"the default class",                "storage.k8s.io",               "v1", "storageclasses",
             "{'metadata':{'name':'c','annotations':{'storageclass.kubernetes.io/is-default-class':'true'}},'provisioner':'p'}",
             "['c (default)','p','Delete','Immediate',false,'<unknown>']"                                                                                                                                                                                                                                                                                                                                                                               },
            {"a driver",                         "storage.k8s.io",               "v1", "csidrivers",
             "{'metadata':{'name':'d'},'spec':{'volumeLifecycleModes':['Persistent','Ephemeral']}}",                                                                                                                                                                                                                                                                         "['d',true,false,false,'<unset>',false,'Persistent,Ephemeral','<unknown>']"},
            {"an attachment",                    "storage.k8s.io",               "v1", "volumeattachments",
             "{'metadata':{'name':'a'},'spec':{'attacher':'x','nodeName':'n','source':{'persistentVolumeName':'v'}},'status':{'attached':true}}",
             "['a','x','v','n',true,'<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                       },
            {"webhooks",                         "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
             "{'metadata':{'name':'w'},'webhooks':[{},{}]}",                                                                                                                                                                                                                                                                                                                 "['w',2,'<unknown>']"                                                      },
            {"an admission policy",              "admissionregistration.k8s.io", "v1",
             "validatingadmissionpolicies",                                                                               "{'metadata':{'name':'p'},'spec':{'validations':[{}],'paramKind':{'apiVersion':'v1','kind':'ConfigMap'}}}",
             "['p',1,'v1/ConfigMap','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                       },
            {"a bound policy",                   "admissionregistration.k8s.io", "v1",
             "validatingadmissionpolicybindings",                                                                         "{'metadata':{'name':'b'},'spec':{'policyName':'p','paramRef':{'name':'c'}}}",
             "['b','p','*/c','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                              },
            {"a local API",                      "apiregistration.k8s.io",       "v1", "apiservices",
             "{'metadata':{'name':'v1.apps'},'status':{'conditions':[{'type':'Available','status':'True','reason':'Local'}]}}",
             "['v1.apps','Local','True','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                                   },
            {"an API out of reach",              "apiregistration.k8s.io",       "v1", "apiservices",
             "{'metadata':{'name':'a'},'spec':{'service':{'namespace':'n','name':'s'}},'status':{'conditions':[{'type':'Available','status':'False','reason':'ServiceNotFound'}]}}",
             "['a','n/s','False (ServiceNotFound)','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                        },
            {"a priority",                       "scheduling.k8s.io",            "v1", "priorityclasses",
             "{'metadata':{'name':'p'},'value':7}",                                                                                                                                                                                                                                                                                                                          "['p',7,false,'<unknown>','PreemptLowerPriority']"                         },
            {"a slice",                          "discovery.k8s.io",             "v1", "endpointslices",
             "{'metadata':{'name':'s'},'addressType':'IPv4','ports':[{'port':80},{}],'endpoints':[{'addresses':['1','2']},{'addresses':['3','4']}]}",
             "['s','IPv4','80,*','1,2,3 + 1 more...','<unknown>']"                                                                                                                                                                                                                                                                                                                                                                                      },
};
/* clang-format on */

/* Rows are written with ' for ". */
static struct json_doc *read_quoted(const char *text)
{
    SCOPED(buf) quoted = {0};
    struct json_doc *doc = NULL;
    for (; *text; text++)
        buf_add_char(&quoted, *text == '\'' ? '"' : *text);
    CHECK_OK(json_read(buf_str(&quoted), &doc));
    return doc;
}

TEST(kind_cells)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) object = read_quoted(cases[i].object);
        OWNED(json_doc) cells = read_quoted(cases[i].cells);
        TEST_CASE("%s", cases[i].name);
        const struct kind *kind =
            kinds_find((struct gvr){str_from_c(cases[i].group), str_from_c(cases[i].version),
                                    str_from_c(cases[i].resource)});
        check_cells(kind, json_doc_root(object), 100 * SECOND, json_doc_root(cells));
    }
}

TEST(kind_cells_of_nothing)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    OWNED(json_doc) empty = read_quoted("{}");
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("%.*s", STR_ARG(kinds[i].plural));
        OWNED(json_doc) cells = cells_of(&kinds[i], json_doc_root(empty), 0);
        CHECK_EQ(json_count(json_doc_root(cells)), kinds[i].column_count);
    }
}

/* A port of an EndpointSlice may have an empty name. */
TEST(columns_show_what_is_empty_in_a_list)
{
    SCOPED(kind_cell_list) list = {.count = 0};
    const char *const parts[] = {"", "b", "", "d", "e"};
    for (size_t i = 0; i < COUNT(parts); i++)
        kind_cell_list_add(&list, str_from_c(parts[i]));
    kind_cell_list_finish(&list);
    CHECK_EQ(buf_str(&list.text), STR(",b, + 2 more..."));
}
