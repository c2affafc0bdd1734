using Microsoft.AspNetCore.RequestDecompression;
using Microsoft.Extensions.Options;

namespace Weir.AspNetCore.Decompression;

/// <summary>
/// Makes the providers of ASP.NET Core's request decompression refuse bodies that are cut. Runs only where the application uses that middleware. Providers that
/// the application has added stay as they are: how their codings end is not known here.
/// </summary>
internal sealed class DecompressionCompleteness : IPostConfigureOptions<RequestDecompressionOptions>
{
    public void PostConfigure(string? name, RequestDecompressionOptions options)
    {
        foreach (var (coding, provider) in options.DecompressionProviders.ToArray())
        {
            if (provider.GetType().Assembly == typeof(RequestDecompressionOptions).Assembly)
            {
                options.DecompressionProviders[coding] = new CompleteDecompression(provider, coding);
            }
        }
    }
}
