using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jobs;
using Microsoft.AspNetCore.Mvc.Testing;

namespace Weir.Samples.Tests;

public sealed class JobsTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("weir-jobs-").FullName;
    private WebApplicationFactory<Receipt> _application = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _application = Start();
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_report_is_read_page_by_page_from_any_index()
    {
        using var client = _application.CreateClient();
        var id = await SubmitAsync(client, "/reports?tenant=acme&pages=5");
        Assert.Equal(Enumerable.Range(1, 5).Select(static page => $"acme: page {page} of 5, attempt 1"), await PagesAsync(client, id, 0));
        Assert.Equal(["acme: page 5 of 5, attempt 1"], await PagesAsync(client, id, 4));
        Assert.Equal(("Reports/Build", "Succeeded", 5), await FindAsync(client, id));
    }

    [Fact]
    public async Task A_report_whose_worker_ends_continues_behind_its_last_page()
    {
        using var client = _application.CreateClient();
        var id = await SubmitAsync(client, "/reports?tenant=unlucky&pages=4");
        Assert.Equal(
            ["unlucky: page 1 of 4, attempt 1", "unlucky: page 2 of 4, attempt 1", "unlucky: page 3 of 4, attempt 2", "unlucky: page 4 of 4, attempt 2"],
            await PagesAsync(client, id, 0));
    }

    [Fact]
    public async Task A_payment_is_repeated_after_exceptions_and_made_once_for_an_invoice()
    {
        using var client = _application.CreateClient();
        var id = await SubmitAsync(client, "/payments?customer=acme&invoice=i-1&amount=9.99");
        Assert.Equal(id, await SubmitAsync(client, "/payments?customer=acme&invoice=i-1&amount=9.99"));
        Assert.Equal(new Receipt("i-1", 9.99m, 3), await client.GetFromJsonAsync<Receipt>(new Uri($"/payments/{id}", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task Payments_of_one_customer_are_made_one_after_the_other()
    {
        using var client = _application.CreateClient();
        var ids = await Task.WhenAll(Enumerable.Range(1, 8).Select(invoice => SubmitAsync(client, $"/payments?customer=acme&invoice=c-{invoice}&amount=1")));

        // The bank refuses a payment that runs beside another one of its customer: that would be a further attempt.
        var receipts = await Task.WhenAll(ids.Select(id => client.GetFromJsonAsync<Receipt>(new Uri($"/payments/{id}", UriKind.Relative), Cancel)));
        Assert.Equal(Enumerable.Range(1, 8).Select(static invoice => new Receipt($"c-{invoice}", 1, 3)), receipts.Order(Comparer<Receipt?>.Create(static (a, b) => string.CompareOrdinal(a!.Invoice, b!.Invoice))));
    }

    [Fact]
    public async Task The_nightly_reports_are_due_at_three_in_Berlin_and_can_be_submitted_now()
    {
        using var client = _application.CreateClient();
        using var schedules = JsonDocument.Parse(await client.GetStringAsync(new Uri("/schedules", UriKind.Relative), Cancel));
        var nightly = Assert.Single(schedules.RootElement.EnumerateArray());
        Assert.Equal("Nightly/Submit", nightly.GetProperty("name").GetString());
        var next = TimeZoneInfo.ConvertTime(nightly.GetProperty("next").GetDateTimeOffset(), TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin"));
        Assert.Equal(new TimeSpan(3, 0, 0), next.TimeOfDay);

        var id = await SubmitAsync(client, "/nightly");
        var reports = await client.GetFromJsonAsync<Guid[]>(new Uri($"/nightly/{id}", UriKind.Relative), Cancel);
        Assert.Equal(2, reports!.Length);
        Assert.Equal(["acme: page 1 of 2, attempt 1", "acme: page 2 of 2, attempt 1"], await PagesAsync(client, reports[0], 0));
        Assert.Equal(["globex: page 1 of 2, attempt 1", "globex: page 2 of 2, attempt 1"], await PagesAsync(client, reports[1], 0));
    }

    [Fact]
    public async Task A_report_that_runs_is_cancelled_and_stays_cancelled_after_a_restart()
    {
        using (var client = _application.CreateClient())
        {
            var id = await SubmitAsync(client, "/reports?tenant=acme&pages=100000");
            while ((await FindAsync(client, id)).Items == 0)
            {
                await Task.Delay(10, Cancel);
            }

            using var cancelled = await client.DeleteAsync(new Uri($"/jobs/{id}", UriKind.Relative), Cancel);
            Assert.Equal(HttpStatusCode.OK, cancelled.StatusCode);
            while ((await FindAsync(client, id)).State != "Cancelled")
            {
                await Task.Delay(10, Cancel);
            }

            await _application.DisposeAsync();
            _application = Start();
            using var next = _application.CreateClient();
            Assert.Equal("Cancelled", (await FindAsync(next, id)).State);
        }
    }

    private WebApplicationFactory<Receipt> Start() => new WebApplicationFactory<Receipt>().WithWebHostBuilder(host => host.UseSetting("Store", Path.Combine(_folder, "jobs.db")));

    private static async Task<Guid> SubmitAsync(HttpClient client, string path)
    {
        using var response = await client.PostAsync(new Uri(path, UriKind.Relative), null, Cancel);
        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        using var job = await JsonDocument.ParseAsync(await response.Content.ReadAsStreamAsync(Cancel), cancellationToken: Cancel);
        return job.RootElement.GetProperty("id").GetGuid();
    }

    private static async Task<string[]> PagesAsync(HttpClient client, Guid id, long from) =>
        (await client.GetFromJsonAsync<string[]>(new Uri($"/reports/{id}/pages?from={from}", UriKind.Relative), Cancel))!;

    private static async Task<(string Kind, string State, int Items)> FindAsync(HttpClient client, Guid id)
    {
        using var job = JsonDocument.Parse(await client.GetStringAsync(new Uri($"/jobs/{id}", UriKind.Relative), Cancel));
        return (job.RootElement.GetProperty("kind").GetString()!, job.RootElement.GetProperty("state").GetString()!, job.RootElement.GetProperty("items").GetInt32());
    }
}
