using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Content of any length in a worker.</summary>
[Service, Isolated(Pool)]
public sealed class FilesInWorker
{
    public const string Pool = "files";

    /// <summary>The header that names the process of the operation.</summary>
    public const string WorkerHeader = "X-Worker";

    [Get]
    public int ProcessId() => Environment.ProcessId;

    [DisableRequestSizeLimit]
    public Stream Echo(Stream content) => content;

    [DisableRequestSizeLimit]
    public Task<string> Hash(Stream content, CancellationToken cancellationToken) => ContentWork.HashAsync(content, cancellationToken);

    /// <summary>Reads nothing for a while: a server that cannot pass a request on does not read its socket, and so does not see that the caller leaves.</summary>
    [DisableRequestSizeLimit]
    public async Task<int> Hold(Stream content, CancellationToken cancellationToken)
    {
        await Task.Delay(ContentWork.Held, cancellationToken);
        return content.CanRead ? 1 : 0;
    }

    [Get]
    public Stream Endless(string path) => ContentWork.MakeEndless(path);

    [Get]
    public Stream Make(long length, long until, string how, OperationContext context)
    {
        context.Headers[WorkerHeader] = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        return ContentWork.Make(length, until, how);
    }

    [DisableRequestSizeLimit]
    public async Task<long> Take(Stream content, string folder, long upload, CancellationToken cancellationToken)
    {
        UploadMarks.Begin(folder, upload);
        try
        {
            var length = await ContentWork.TakeAsync(content, folder, upload, 0, cancellationToken);
            Witness.Append(folder, UploadMarks.EndOfAll(upload, 1));
            return length;
        }
        finally
        {
            Witness.Append(folder, UploadMarks.LeaveOf(upload));
        }
    }

    [DisableRequestSizeLimit]
    public async Task<long> TakeFiles(IReadOnlyList<IFormFile> files, string folder, long upload, CancellationToken cancellationToken)
    {
        UploadMarks.Begin(folder, upload);
        try
        {
            var (count, length) = (0, 0L);
            foreach (var file in files)
            {
                await using var content = file.OpenReadStream();
                length += await ContentWork.TakeAsync(content, folder, upload, count++, cancellationToken);
            }

            Witness.Append(folder, UploadMarks.EndOfAll(upload, count));
            return length;
        }
        finally
        {
            Witness.Append(folder, UploadMarks.LeaveOf(upload));
        }
    }

    /// <summary>For hosts that hand files over by their paths.</summary>
    public Task Convert(string from, string to, CancellationToken cancellationToken) => ContentWork.ConvertAsync(from, to, cancellationToken);

    /// <summary>The same.</summary>
    public async Task<string> HashFile(string path, CancellationToken cancellationToken)
    {
        await using var file = ContentWork.OpenRead(path);
        return await ContentWork.HashAsync(file, cancellationToken);
    }
}
