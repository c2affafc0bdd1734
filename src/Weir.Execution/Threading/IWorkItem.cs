namespace Weir.Execution.Threading;

/// <summary>An object that is its own work item, for <see cref="Callbacks.Queue(IWorkItem)"/>. Both methods run on the thread pool.</summary>
internal interface IWorkItem : IThreadPoolWorkItem
{
    /// <summary>The work.</summary>
    void Run();

    /// <summary>Handles what <see cref="Run"/> throws.</summary>
    void OnFailed(Exception failure);

    void IThreadPoolWorkItem.Execute() =>
        Callbacks.Run(this, static work => work.Run(), static (work, failure) => work.OnFailed(failure));
}
