using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Content in a worker as applications do it that cannot send it there: the host keeps the upload in a file, the worker makes another one of it, and the host sends that.</summary>
[Service]
public sealed class FilesByHand(IFilesInWorkerClient worker)
{
    [DisableRequestSizeLimit]
    public async Task<Stream> Echo(Stream content, CancellationToken cancellationToken)
    {
        var (upload, result) = (NewPath(), NewPath());
        try
        {
            await ContentWork.SaveAsync(content, upload, cancellationToken);
            await worker.Convert(upload, result, cancellationToken);
            return ContentWork.OpenRead(result, FileOptions.DeleteOnClose);
        }
        finally
        {
            File.Delete(upload);
        }
    }

    [DisableRequestSizeLimit]
    public async Task<string> Hash(Stream content, CancellationToken cancellationToken)
    {
        var upload = NewPath();
        try
        {
            await ContentWork.SaveAsync(content, upload, cancellationToken);
            return await worker.HashFile(upload, cancellationToken);
        }
        finally
        {
            File.Delete(upload);
        }
    }

    private static string NewPath() => Path.Combine(Path.GetTempPath(), $"weir-lab-{Path.GetRandomFileName()}");
}
