using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Weir;
using Weir.Lab.Jobs;
using Weir.Lab.Measuring;

var began = Clock.Now;
await JobsProgram.RunAsync(args, began, static async (services, count) =>
{
    await ScheduleAsync(services.GetRequiredService<IJobs<IHostKindsClient>>(), count / 2);
    await ScheduleAsync(services.GetRequiredService<IJobs<IWorkerKindsClient>>(), count / 2);
});

// Of each kind as many, a month away.
static async Task ScheduleAsync<T>(IJobs<T> jobs, int count)
    where T : class
{
    MethodInfo[] kinds = [.. typeof(T).GetMethods()];
    foreach (var kind in kinds)
    {
        foreach (var part in Enumerable.Range(0, count / kinds.Length).Chunk(JobsProgram.Part))
            await jobs.EnqueueManyAsync(part, (client, number) => (ValueTask<int>)kind.Invoke(client, [number, CancellationToken.None])!, new JobOptions { After = TimeSpan.FromDays(30) });
    }
}
