namespace Weir.Lab.Contenders.Hosting;

/// <summary>The usual answer to a thread pool that starves: its minimum is raised for the whole process.</summary>
internal static class RaisedMinimum
{
    public static void Set(int threads)
    {
        // The other kind of thread has a maximum of 1,000; asking for more there changes nothing at all, silently.
        ThreadPool.GetMinThreads(out _, out var others);
        if (!ThreadPool.SetMinThreads(threads, others))
            throw new InvalidOperationException($"The thread pool refuses a minimum of {threads} threads.");
    }
}
