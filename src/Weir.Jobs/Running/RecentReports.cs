namespace Weir.Jobs.Running;

/// <summary>The last crash reports of workers, until the attempt that each belongs to is stored: a call fails a moment before its worker's report is written. Any thread.</summary>
/// <param name="time">The clock.</param>
internal sealed class RecentReports(TimeProvider time)
{
    private const int Most = 64;

    // A worker is reaped within this time after its calls failed, or something is wrong with it.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();

    // Under _gate; at most Most. Where the report is not there yet, those who wait for it complete it.
    private readonly Dictionary<string, TaskCompletionSource<string>> _reports = [];
    private readonly Queue<string> _order = [];

    /// <summary>A worker has failed.</summary>
    public void Add(CrashReport report) => Get(report.Id).TrySetResult(report.ToString());

    /// <summary>A report, as text; <c>null</c> where it does not come in time.</summary>
    public async ValueTask<string?> FindAsync(string id)
    {
        var report = Get(id).Task;
        try
        {
            return await report.WaitAsync(Patience, time);
        }
        catch (TimeoutException)
        {
            return null;
        }
    }

    private TaskCompletionSource<string> Get(string id)
    {
        lock (_gate)
        {
            if (!_reports.TryGetValue(id, out var report))
            {
                report = _reports[id] = new(TaskCreationOptions.RunContinuationsAsynchronously);
                _order.Enqueue(id);
                if (_order.Count > Most)
                {
                    _reports.Remove(_order.Dequeue());
                }
            }

            return report;
        }
    }
}
