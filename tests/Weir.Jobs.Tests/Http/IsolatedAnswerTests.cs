using Microsoft.AspNetCore.Builder;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>The results of jobs that ran in a worker are those of direct calls, too.</summary>
public sealed class IsolatedAnswerTests
{
    [Fact]
    public async Task What_a_worker_answers_throws_or_ends_with_is_the_answer_of_the_job()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Weir = static weir =>
            {
                weir.RunInline = false;
                weir.Pool("labels").MinWorkers = 0;
                weir.Pool("labels").MaxWorkers = 2;
                weir.Pool("labels").CancelGrace = TimeSpan.FromMilliseconds(200);
            },
            Map = static app =>
            {
                app.MapWeirService<Labels>();
                app.MapWeirJobs();
            },
        });
        foreach (var (operation, json) in new[] { ("Refuse", """{"why":"closed"}"""), ("Pages", """{"count":3}"""), ("Crash", "{}") })
        {
            var direct = await DirectAnswer.OfAsync(await host.PostAsync($"/Labels/{operation}", null, json));
            var address = await host.SubmitAsync($"Labels/{operation}", json);
            var job = await host.EndAsync(address);
            var result = await DirectAnswer.OfAsync(await host.GetAsync($"{address}/result"));
            if (operation == "Crash")
            {
                // The reports differ: each worker has its own process id.
                Assert.Equal("crashed", job.GetProperty("reason").GetString());
                Assert.Equal((502, 502), (direct.Status, result.Status));
                Assert.Contains("\nreport", result.Body, StringComparison.Ordinal);
                Assert.Equal(direct.Body.Split('\n').Where(static line => !line.StartsWith("detail", StringComparison.Ordinal)), result.Body.Split('\n').Where(static line => !line.StartsWith("detail", StringComparison.Ordinal)));
            }
            else
            {
                Assert.Equal(direct, result);
            }
        }
    }
}
