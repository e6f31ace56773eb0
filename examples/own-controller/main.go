// A deliberately small Job controller, to be put before jobsworth: what it does, most controllers begin with, and what it leaves
// out, reviewers overlook. docs/your-controller.md reads the verdict on it.
//
// It serves NonIndexed Jobs whose spec.managedBy is its own name: it creates pods, counts each that ended once (by a finalizer and
// the list of uncounted pods in the status), and writes the end. It knows no indexes, no policies, no suspension, no back-off and
// no events.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	client  kubernetes.Interface
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
	manager string
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how the API server is reached; without it as a pod does")
	manager := flag.String("manager", "example.com/small", "Jobs with this spec.managedBy are served")
	host := flag.String("health-host", "127.0.0.1", "the address of the port below; in a pod 0.0.0.0")
	health := flag.Int("health-port", 0, "where /readyz answers once the caches are filled")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *manager, fmt.Sprintf("%s:%d", *host, *health)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, manager, health string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 100, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	jobs, pods := factory.Batch().V1().Jobs(), factory.Core().V1().Pods()
	limiter := workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()
	c := &controller{client, workqueue.NewTypedRateLimitingQueue(limiter), manager}
	wake := func(add func(any)) cache.ResourceEventHandlerFuncs {
		return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, now any) { add(now) }, DeleteFunc: add}
	}
	jobs.Informer().AddEventHandler(wake(func(object any) {
		if job, ok := object.(*batchv1.Job); ok {
			c.queue.Add(cache.MetaObjectToName(job))
		}
	}))
	pods.Informer().AddEventHandler(wake(func(object any) {
		if pod, ok := object.(*corev1.Pod); ok {
			if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "Job" {
				c.queue.Add(cache.NewObjectName(pod.Namespace, owner.Name))
			}
		}
	}))
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	http.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	go http.ListenAndServe(health, nil)
	for range 5 {
		go c.work(ctx)
	}
	<-ctx.Done()
	c.queue.ShutDown()
	return nil
}

func (c *controller) work(ctx context.Context) {
	for {
		name, done := c.queue.Get()
		if done {
			return
		}
		if err := c.sync(ctx, name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
}

// sync reads from the API server, and the Job before its pods: a cache may not have seen yet what this controller wrote, and one that
// lags behind would have it start a pod twice. It costs two requests a time; larger controllers remember what they expect to see.
func (c *controller) sync(ctx context.Context, name cache.ObjectName) error {
	found, err := c.client.BatchV1().Jobs(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
	if errors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if found.Spec.ManagedBy == nil || *found.Spec.ManagedBy != c.manager || ended(found) {
		return nil
	}
	job := found.DeepCopy()
	ofJob := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(job.Spec.Selector.MatchLabels).String()}
	selected, err := c.client.CoreV1().Pods(job.Namespace).List(ctx, ofJob)
	if err != nil {
		return err
	}
	status := &job.Status
	active, waiting := count(status, selected.Items)
	uncounted := int32(len(status.UncountedTerminatedPods.Succeeded))
	wanted := *job.Spec.Parallelism
	if job.Spec.Completions != nil {
		wanted = min(wanted, *job.Spec.Completions-status.Succeeded-uncounted)
	}
	now := metav1.NewTime(time.Now())
	if status.StartTime == nil {
		status.StartTime = &now
	}
	switch {
	case len(waiting) > 0:
		// The end waits until every pod is counted.
	case status.Failed > *job.Spec.BackoffLimit:
		wanted = 0
		status.Conditions = end(status.Conditions, batchv1.JobFailureTarget, batchv1.JobFailed, "BackoffLimitExceeded", now)
	case job.Spec.Completions != nil && status.Succeeded >= *job.Spec.Completions:
		status.CompletionTime = &now
		status.Conditions = end(status.Conditions, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete, "CompletionsReached", now)
	}
	for len(active) > int(wanted) {
		pod := active[len(active)-1]
		if err := c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		active = active[:len(active)-1]
	}
	for missing := int(wanted) - len(active); missing > 0; missing-- {
		pod := &corev1.Pod{ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(), Spec: job.Spec.Template.Spec}
		pod.GenerateName = job.Name + "-"
		pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer)
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
		if _, err := c.client.CoreV1().Pods(job.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
		active = append(active, pod)
	}
	status.Active = int32(len(active))
	if !equality.Semantic.DeepEqual(found.Status, job.Status) {
		if _, err = c.client.BatchV1().Jobs(job.Namespace).UpdateStatus(ctx, job, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	// Only now: a pod that lost its finalizer before it was written down could go uncounted.
	for _, pod := range waiting {
		patch := fmt.Appendf(nil, `{"metadata":{"$deleteFromPrimitiveList/finalizers":[%q]}}`, batchv1.JobTrackingFinalizer)
		_, err := c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// count takes pods that lost their finalizer out of the list of uncounted ones and into the counters, and those that ended into that
// list. It returns the pods that run, and those whose finalizer is to go.
func count(status *batchv1.JobStatus, pods []corev1.Pod) (active, waiting []*corev1.Pod) {
	held := map[types.UID]bool{}
	list := batchv1.UncountedTerminatedPods{}
	for place := range pods {
		pod := &pods[place]
		held[pod.UID] = slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
		switch {
		case pod.Status.Phase == corev1.PodSucceeded && held[pod.UID]:
			list.Succeeded = append(list.Succeeded, pod.UID)
		case pod.Status.Phase == corev1.PodFailed && held[pod.UID]:
			list.Failed = append(list.Failed, pod.UID)
		case pod.DeletionTimestamp == nil && !podEnded(pod):
			active = append(active, pod)
			continue
		default:
			continue
		}
		waiting = append(waiting, pod)
	}
	if before := status.UncountedTerminatedPods; before != nil {
		counted := func(uids []types.UID) (number int32) {
			for _, uid := range uids {
				if !held[uid] {
					number++
				}
			}
			return number
		}
		status.Succeeded += counted(before.Succeeded)
		status.Failed += counted(before.Failed)
	}
	status.UncountedTerminatedPods = &list
	return active, waiting
}

func podEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func ended(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed {
			return true
		}
	}
	return false
}

func end(conditions []batchv1.JobCondition, first, last batchv1.JobConditionType, reason string, now metav1.Time) []batchv1.JobCondition {
	for _, kind := range []batchv1.JobConditionType{first, last} {
		conditions = append(conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: reason, LastProbeTime: now, LastTransitionTime: now,
		})
	}
	return conditions
}
