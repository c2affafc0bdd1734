using System.Text;
using Microsoft.CodeAnalysis.CSharp;

namespace Weir.Generator;

/// <summary>Names in generated code: different for different things, the same from build to build.</summary>
internal static class Naming
{
    // In UTF-8: file systems take 255 bytes for the name of a file, and metadata 1,023 for that of a type.
    private const int MostBytes = 120;

    /// <summary>The namespace of an assembly's generated code.</summary>
    public static string AssemblyNamespace(string assemblyName) => "Weir.Generated." + Identifier(assemblyName);

    /// <summary>
    /// An identifier for any name. Dots become underscores; a name with any other character that an identifier cannot
    /// have, or with underscores, gets a hash, so that two names never share an identifier; a long one is cut, and gets a longer hash.
    /// </summary>
    public static string Identifier(string name)
    {
        var text = new StringBuilder(name.Length);
        var exact = true;
        foreach (var character in name)
        {
            var fits = char.IsLetterOrDigit(character);
            exact &= fits || character == '.';
            text.Append(fits ? character : '_');
        }

        if (text.Length == 0 || char.IsDigit(text[0]))
        {
            text.Insert(0, '_');
            exact = false;
        }

        exact &= SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None;
        if (Encoding.UTF8.GetByteCount(text.ToString()) > MostBytes)
        {
            return $"{Cut(text.ToString(), MostBytes - 18)}__{Hash(name).ToString("x16", null)}";
        }

        return exact ? text.ToString() : text.Append("__").Append(Hash(name).ToString("x16", null), 0, 8).ToString();
    }

    // No character takes more than three bytes: those that take four are no letters.
    private static string Cut(string text, int bytes)
    {
        var length = 0;
        for (var used = 0; used < bytes && length < text.Length; length++)
        {
            used += text[length] < 0x80 ? 1 : text[length] < 0x800 ? 2 : 3;
        }

        return text.Substring(0, length);
    }

    /// <summary>An identifier as C# code writes it.</summary>
    public static string Escape(string identifier) =>
        SyntaxFacts.GetKeywordKind(identifier) != SyntaxKind.None || SyntaxFacts.GetContextualKeywordKind(identifier) != SyntaxKind.None
            ? "@" + identifier
            : identifier;

    /// <summary>A property's name in JSON, as <c>JsonNamingPolicy.CamelCase</c> forms it.</summary>
    public static string Camel(string name)
    {
        var text = name.ToCharArray();
        for (var index = 0; index < text.Length && char.IsUpper(text[index]); index++)
        {
            if (index > 0 && index + 1 < text.Length && !char.IsUpper(text[index + 1]))
            {
                break;
            }

            text[index] = char.ToLowerInvariant(text[index]);
        }

        return new string(text);
    }

    /// <summary>FNV-1a over the UTF-8 of a text.</summary>
    public static ulong Hash(string text)
    {
        var hash = 14695981039346656037UL;
        foreach (var octet in Encoding.UTF8.GetBytes(text))
        {
            hash = unchecked((hash ^ octet) * 1099511628211UL);
        }

        return hash;
    }
}
