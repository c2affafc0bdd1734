namespace Weir;

/// <summary>Sends requests to an HTTP service and measures what its users would see.</summary>
public static class LoadTest
{
    /// <summary>Runs one test. Tests may run at the same time; they share the processors of this machine.</summary>
    /// <param name="options">What to send.</param>
    /// <param name="progress">Notified about five times per second, on a thread of the pool; <c>null</c> for no notice.</param>
    /// <param name="cancellationToken">Ends the test early: all connections are closed, and there is no report.</param>
    /// <returns>What was measured.</returns>
    /// <exception cref="ArgumentException">Options contradict each other; the message names them.</exception>
    /// <exception cref="HttpRequestException">No connection could be opened when the test began: the name is unknown, the server refused, or its certificate is not trusted.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Task<LoadReport> RunAsync(LoadOptions options, IProgress<LoadProgress>? progress = null, CancellationToken cancellationToken = default) =>
        RunAsync(options, progress, CancellationToken.None, cancellationToken);

    /// <summary>Runs one test that can be stopped early with a report. Tests may run at the same time; they share the processors of this machine.</summary>
    /// <param name="options">What to send.</param>
    /// <param name="progress">Notified about five times per second, on a thread of the pool; <c>null</c> for no notice.</param>
    /// <param name="stopping">
    /// Ends the test early: nothing further is sent, requests in flight are given up and only counted as <see cref="LoadReport.Unfinished"/>, and the report has what
    /// was measured until then. Noticed up to 100 milliseconds late.
    /// </param>
    /// <param name="cancellationToken">Ends the test early: all connections are closed, and there is no report.</param>
    /// <returns>What was measured.</returns>
    /// <exception cref="ArgumentException">Options contradict each other; the message names them.</exception>
    /// <exception cref="HttpRequestException">No connection could be opened when the test began: the name is unknown, the server refused, or its certificate is not trusted.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled, or <paramref name="stopping"/> before the first request was sent.</exception>
    public static Task<LoadReport> RunAsync(LoadOptions options, IProgress<LoadProgress>? progress, CancellationToken stopping, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Check();
        return Load.LoadRun.RunAsync(options, progress, stopping, cancellationToken);
    }
}
