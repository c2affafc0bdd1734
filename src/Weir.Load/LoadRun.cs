using System.Net;
using Weir.Load.Clients;
using Weir.Load.Connecting;
using Weir.Load.Measuring;
using Weir.Load.Raw;

namespace Weir.Load;

/// <summary>One load test, from opening connections to the report.</summary>
internal static class LoadRun
{
    private static readonly TimeSpan ProgressPeriod = TimeSpan.FromMilliseconds(200);

    public static async Task<LoadReport> RunAsync(LoadOptions options, IProgress<LoadProgress>? progress, CancellationToken stopping, CancellationToken cancellationToken)
    {
        // Before the first request there is nothing to report.
        using var opening = CancellationTokenSource.CreateLinkedTokenSource(stopping, cancellationToken);
        var server = await ServerAddress.FindAsync(options, opening.Token).ConfigureAwait(false);
        if (options.Address.Scheme == Uri.UriSchemeHttps)
        {
            await SecureConnection.CheckAsync(options, server, opening.Token).ConfigureAwait(false);
        }

        using var engine = await Task.Run(() => CreateEngine(options, server, opening.Token), opening.Token).ConfigureAwait(false);
        return await RunAsync(options, engine, progress, stopping, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>With an engine that has been chosen.</summary>
    public static async Task<LoadReport> RunAsync(LoadOptions options, ILoadEngine engine, IProgress<LoadProgress>? progress, CancellationToken stopping, CancellationToken cancellationToken)
    {
        var begin = Stamp.Now;
        var run = engine.RunAsync(stopping, cancellationToken);
        while (progress is not null && !run.IsCompleted)
        {
            await Task.WhenAny(run, Task.Delay(ProgressPeriod, TimeProvider.System, CancellationToken.None)).ConfigureAwait(false);
            progress.Report(Progress(engine.Results, begin));
        }

        await run.ConfigureAwait(false);
        return Report(options, engine.Results);
    }

    private static ILoadEngine CreateEngine(LoadOptions options, IPEndPoint server, CancellationToken cancellationToken) =>
        OperatingSystem.IsLinux() && options.Address.Scheme == Uri.UriSchemeHttp && options.HttpVersion == HttpVersion.Version11
            ? new RawEngine(options, server, cancellationToken)
            : new ClientEngine(options, server);

    private static LoadProgress Progress(IReadOnlyList<LoadResult> results, long begin) =>
        new(
            TimeSpan.FromSeconds(Stamp.Seconds(begin, Stamp.Now)),
            results.Sum(static result => result.Completed + result.Errors),
            results.Sum(static result => result.Errors),
            results.Sum(static result => result.Bytes));

    private static LoadReport Report(LoadOptions options, IReadOnlyList<LoadResult> results)
    {
        var all = new LoadResult();
        foreach (var result in results)
        {
            all.Merge(result);
        }

        return new LoadReport
        {
            Requests = all.Completed + all.Errors,
            Errors = all.Errors,
            ErrorsByKind = all.ErrorsByKind,
            Unfinished = all.Unfinished,
            IsStopped = all.IsStopped,
            Rate = all.Seconds > 0 ? all.PerSecond : 0,
            Seconds = all.Seconds,
            BytesReceived = all.Bytes,
            Items = all.Items,
            ServiceTime = all.Service.Summary(),
            ResponseTime = all.Response.Summary(),
            Lateness = all.Lateness.Summary(),
            ConnectionWait = all.ConnectionWait.Summary(),
            FirstByte = options.IsStream ? all.FirstByte.Summary() : null,
            ItemGap = options.IsStream ? all.ItemGap.Summary() : null,
        };
    }
}
