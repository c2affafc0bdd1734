using Weir.IntegrationTests.Faults;
using Weir.Runtime;

namespace Weir.IntegrationTests.Workers;

/// <summary>Makes the calls of a proxy as attempts of one job.</summary>
internal sealed class JobInvoker(CallPipeline pipeline, JobContext job) : CallInvoker
{
    public static T Create<T>(WorkerPool pool, JobContext job)
        where T : class =>
        (T)FreshPool.Catalogs.Catalogs.SelectMany(static catalog => catalog.Proxies).First(static proxy => proxy.Contract == typeof(T)).Create(new JobInvoker(pool.Pipeline, job));

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken) => pipeline.RunAsync(call, new CallRequest { CancellationToken = cancellationToken, Job = job });

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => throw new NotSupportedException();
}
