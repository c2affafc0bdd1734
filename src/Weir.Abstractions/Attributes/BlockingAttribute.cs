namespace Weir;

/// <summary>
/// The operation blocks its thread: it runs on the elastic lane of Weir's own threads, and the thread pool stays free.
/// On a class: all its operations. Only synchronous operations block; on an asynchronous one it is a build error
/// (WEIR1011). One that takes a streamed request (<c>IAsyncEnumerable&lt;T&gt;</c>) waits for its items on that thread.
/// </summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class)]
public sealed class BlockingAttribute : Attribute;
