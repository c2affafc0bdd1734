using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The same content in the host.</summary>
[Service]
public sealed class FilesInline
{
    [DisableRequestSizeLimit]
    public Stream Echo(Stream content) => content;

    [DisableRequestSizeLimit]
    public Task<string> Hash(Stream content, CancellationToken cancellationToken) => ContentWork.HashAsync(content, cancellationToken);

    /// <summary>Reads nothing for a while.</summary>
    [DisableRequestSizeLimit]
    public async Task<int> Hold(Stream content, CancellationToken cancellationToken)
    {
        await Task.Delay(ContentWork.Held, cancellationToken);
        return content.CanRead ? 1 : 0;
    }

    [Get]
    public Stream Endless(string path) => ContentWork.MakeEndless(path);

    [Get]
    public int ProcessId() => Environment.ProcessId;
}
