using System.Security.Claims;

namespace Weir.IntegrationTests.Services;

/// <summary>What the workers of <c>tests/workers</c> and <c>tests/Weir.NetfxWorker</c> serve; no class does.</summary>
[Service("Compliance"), Isolated("foreign")]
public interface ICompliance
{
    ValueTask<int> Add(int a, int b, CancellationToken ct = default);

    ValueTask<string?> Maybe(string? text = null, CancellationToken ct = default);

    Task<byte[]> Reverse(string prefix, ReadOnlyMemory<byte> data, CancellationToken ct = default);

    ValueTask<int> Sum(int[] numbers, int start = 10, CancellationToken ct = default);

    ValueTask Nothing(CancellationToken ct = default);

    ValueTask Fail(string message, CancellationToken ct = default);

    ValueTask Refuse(int status, CancellationToken ct = default);

    IAsyncEnumerable<int> Count(int n, CancellationToken ct = default);

    IAsyncEnumerable<int> CountAndFail(int n, CancellationToken ct = default);

    ValueTask Wait(CancellationToken ct = default);

    ValueTask<string> Ignore(int milliseconds, CancellationToken ct = default);

    ValueTask Print(string text, CancellationToken ct = default);

    [Job]
    ValueTask<string> Report(int times, CancellationToken ct = default);

    [Job]
    ValueTask ReportAndSpin(CancellationToken ct = default);

    ValueTask Exit(int code, CancellationToken ct = default);

    ValueTask<int> Late(int id, bool waits, CancellationToken ct = default);

    ValueTask<int> LateCount(CancellationToken ct = default);

    Task<string> Upload(string label, Stream content, CancellationToken ct = default);

    Task<Stream> Download(int length, CancellationToken ct = default);

    Task<Stream> DownloadAndFail(int length, CancellationToken ct = default);

    Task<Stream> EchoContent(Stream content, CancellationToken ct = default);

    ValueTask<string> WhoCalls(ClaimsPrincipal user, CancellationToken ct = default);

    ValueTask<string> ReadShared(string name, CancellationToken ct = default);
}
