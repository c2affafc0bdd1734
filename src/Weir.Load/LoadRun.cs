namespace Weir.Load;

/// <summary>One load test, from opening connections to the report.</summary>
internal static class LoadRun
{
    public static Task<LoadReport> RunAsync(LoadOptions options, IProgress<LoadProgress>? progress, CancellationToken cancellationToken) =>
        throw new NotSupportedException("The engines follow.");
}
