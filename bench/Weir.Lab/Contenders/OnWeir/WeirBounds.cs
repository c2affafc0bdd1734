using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Fresh pools under a burst, drained at once, one after the other: the lab counts their processes from outside.</summary>
internal static class WeirBounds
{
    /// <summary><c>pools</c>, each of <c>max</c> workers at most, with <c>count</c> calls of <c>bytes</c>.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(ControlLine request)
    {
        var early = 0;
        for (var i = request.Int("pools"); i > 0; i--)
        {
            await using var pool = WeirStart.Pool("tasks", options =>
            {
                options.MaxWorkers = request.Int("max");
                options.MinWorkers = i % 2;
            });
            var submitted = new Submitted(pool.GetProxy<IHelloTasksClient>());
            submitted.Add(request.Int("count"), request.Int("bytes"));
            await pool.DrainAsync();
            early += submitted.Unfinished > 0 ? 1 : 0;
        }

        return [Readings.Reading("drained early", early, ""), Readings.Done()];
    }
}
