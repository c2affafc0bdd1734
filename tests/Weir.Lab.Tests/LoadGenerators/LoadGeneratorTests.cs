using Weir.Lab.LoadGenerators;

namespace Weir.Lab.Tests.LoadGenerators;

public sealed class LoadGeneratorTests
{
    private const string WrkOutput = """
        Running 4s test @ http://127.0.0.1:5080/
          2 threads and 20 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   140.00ms  439.00ms   2.01s    91.28%
            Req/Sec    37.95k     9.28k   52.95k    72.73%
          Latency Distribution
             50%  144.00us
             75%  250.00us
             90%  778.00us
             99%    1.94s
          41477 requests in 1.10s, 5.78MB read
        Requests/sec:  37710.55
        Transfer/sec:      5.25MB
        """;

    private const string HeyOutput = """

        Summary:
          Total:	1.0063 secs
          Slowest:	1.9950 secs
          Fastest:	0.0001 secs
          Average:	0.0008 secs
          Requests/sec:	787.0740

        Latency distribution:
          10% in 0.0003 secs
          50% in 0.0006 secs
          95% in 0.0018 secs
          99% in 0.0038 secs

        Status code distribution:
          [200]	792 responses


        """;

    private const string OhaOutput = """
        {"summary":{"successRate":1.0,"total":4.0,"slowest":1.995,"fastest":0.0001,"average":0.0008,"requestsPerSec":787.5,"totalData":1,"sizePerRequest":1,"sizePerSec":1.0},
        "latencyPercentiles":{"p10":0.0001,"p25":0.0002,"p50":0.0006,"p75":0.001,"p90":0.002,"p95":0.003,"p99":0.0038,"p99.9":0.02,"p99.99":1.9},
        "statusCodeDistribution":{"200":3150},"errorDistribution":{"aborted due to deadline":2}}
        """;

    private const string WeirOutput = """
        {"model":"open","requests":500,"errors":0,"errorsByKind":{},"rate":500.35,
        "serviceTime":{"p50":0.5,"p99":4.5,"max":20.1},"responseTime":{"p50":0.6,"p99":1970,"max":2001},"lateness":{"p50":0.07,"p99":7.0}}
        """;

    [Fact]
    public void Times_of_wrk_are_read_in_any_unit() => AssertFigures(new Wrk(), WrkOutput, rate: 37710.55, p50: 0.144, p99: 1940, max: 2010);

    [Fact]
    public void Times_of_hey_are_seconds() => AssertFigures(new Hey(), HeyOutput, rate: 787.074, p50: 0.6, p99: 3.8, max: 1995);

    [Fact]
    public void Times_of_oha_are_seconds_and_what_its_deadline_interrupts_is_no_failure() =>
        AssertFigures(new Oha(), OhaOutput, rate: 787.5, p50: 0.6, p99: 3.8, max: 1995);

    [Fact]
    public void Times_of_weir_load_are_response_times_with_the_service_time_beside_them()
    {
        AssertFigures(new WeirLoad(TimeSpan.Zero), WeirOutput, rate: 500.35, p50: 0.6, p99: 1970, max: 2001);
        var round = new WeirLoad(TimeSpan.Zero).Read(WeirOutput);
        Assert.Equal((4.5, 0.07, 7.0), (round[WeirLoad.ServiceP99], round[WeirLoad.LateP50], round[WeirLoad.LateP99]));
    }

    [Fact]
    public void The_closed_model_has_no_lateness()
    {
        var round = new WeirLoad(TimeSpan.Zero).Read(WeirOutput.Replace("\"open\"", "\"closed\"", StringComparison.Ordinal));
        Assert.Null(round.Find(WeirLoad.LateP50, "ms"));
    }

    [Fact]
    public void A_run_in_which_requests_failed_is_no_measurement()
    {
        AssertRefused(new Wrk(), WrkOutput + "\n  Non-2xx or 3xx responses: 7\n", "responses: 7");
        AssertRefused(new Wrk(), WrkOutput + "\n  Socket errors: connect 0, read 3, write 0, timeout 0\n", "read 3");
        AssertRefused(new Hey(), HeyOutput.Replace("[200]", "[503]", StringComparison.Ordinal), "503");
        AssertRefused(new Hey(), HeyOutput + "Error distribution:\n  [17032]\tconnection refused\n", "Error distribution");
        AssertRefused(new Oha(), OhaOutput.Replace("\"successRate\":1.0", "\"successRate\":0.9", StringComparison.Ordinal), "oha failed");
        AssertRefused(new WeirLoad(TimeSpan.Zero), WeirOutput.Replace("\"errors\":0", "\"errors\":3", StringComparison.Ordinal), "3 requests");
    }

    [Fact]
    public void Output_without_figures_is_no_measurement()
    {
        AssertRefused(new Wrk(), "unable to connect", "unable to connect");
        AssertRefused(new Hey(), "Summary:\n  Requests/sec:\tNaN\n", "no rate and latencies");
    }

    private static void AssertFigures(LoadGenerator generator, string output, double rate, double p50, double p99, double max)
    {
        var round = generator.Read(output);
        Assert.Equal(rate, round[LoadGenerator.Rate], 3);
        Assert.Equal(p50, round[LoadGenerator.P50], 3);
        Assert.Equal(p99, round[LoadGenerator.P99], 3);
        Assert.Equal(max, round[LoadGenerator.Max], 3);
    }

    private static void AssertRefused(LoadGenerator generator, string output, string reason) =>
        Assert.Contains(reason, Assert.Throws<InvalidDataException>(() => generator.Read(output)).Message, StringComparison.Ordinal);
}
