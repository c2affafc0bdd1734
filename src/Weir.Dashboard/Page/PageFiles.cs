using System.Reflection;
using System.Security.Cryptography;
using System.Text;

namespace Weir.Dashboard.Page;

/// <summary>
/// The page out of the assembly: a document without data, and the assets that it names by a hash of all of them, so that a browser may keep them forever and never mixes two versions. Read once, at the first request. Any thread.
/// </summary>
internal sealed class PageFiles
{
    private const string DocumentName = "index.html";

    // What the document has in place of the hash: a file of the source tree is a page that can be opened and checked.
    private const string Placeholder = "assets/-/";
    private const string Folder = "Page/";

    private static readonly Lazy<PageFiles> Loaded = new(static () => new PageFiles(typeof(PageFiles).Assembly));

    private readonly Dictionary<string, PageFile> _assets = new(StringComparer.Ordinal);

    private PageFiles(Assembly assembly)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var document = "";
        foreach (var resource in assembly.GetManifestResourceNames().Where(static name => name.StartsWith(Folder, StringComparison.Ordinal)).Order(StringComparer.Ordinal))
        {
            using var content = assembly.GetManifestResourceStream(resource)!;
            var bytes = new byte[content.Length];
            content.ReadExactly(bytes);
            hash.AppendData(bytes);
            var name = resource[Folder.Length..];
            if (name == DocumentName)
            {
                document = Encoding.UTF8.GetString(bytes);
            }
            else
            {
                _assets.Add(name, new PageFile(MediaTypeOf(name), name.EndsWith(".js", StringComparison.Ordinal) ? Encoding.UTF8.GetBytes(ModuleText.WithoutComments(Encoding.UTF8.GetString(bytes))) : bytes));
            }
        }

        Hash = Convert.ToHexStringLower(hash.GetHashAndReset().AsSpan(0, 8));
        Document = new PageFile("text/html; charset=utf-8", Encoding.UTF8.GetBytes(document.Replace(Placeholder, $"assets/{Hash}/", StringComparison.Ordinal)));
    }

    /// <summary>The one of this assembly.</summary>
    public static PageFiles Current => Loaded.Value;

    /// <summary>The hash of all files, in 16 hexadecimal digits.</summary>
    public string Hash { get; }

    /// <summary>The document. It names the assets by relative addresses.</summary>
    public PageFile Document { get; }

    /// <summary>The assets by their names.</summary>
    public IReadOnlyDictionary<string, PageFile> Assets => _assets;

    private static string MediaTypeOf(string name) => Path.GetExtension(name) switch
    {
        ".js" => "text/javascript; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        _ => throw new InvalidOperationException($"The page has a file '{name}', which has no media type."),
    };
}
