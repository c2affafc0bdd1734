#if NETFRAMEWORK
using System;

namespace Weir.Lab.Isolation;

/// <summary>One AppDomain; arguments and results are marshalled across its border.</summary>
public sealed class AppDomainWorker : IsolatedWorker
{
    private readonly TaskKind _kind;
    private readonly AppDomain _domain = AppDomain.CreateDomain("tasks");

    public AppDomainWorker(TaskKind kind) => _kind = kind;

    public override PendingTask QueueTask(int size) =>
        new PendingTask(isDone: true) { ReturnValue = NewTask().DoTask(_kind, size) };

    public override PendingTask QueueTask(byte[] buffer) =>
        new PendingTask(isDone: true) { ReturnValue = NewTask().DoTask(_kind, buffer) };

    public override void Stop() => AppDomain.Unload(_domain);

    private HelloTask NewTask() =>
        (HelloTask)_domain.CreateInstanceAndUnwrap(typeof(HelloTask).Assembly.FullName, typeof(HelloTask).FullName);
}
#endif
