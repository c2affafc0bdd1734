using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>Reads the contracts in a built assembly from its metadata. Nothing of it is loaded or run.</summary>
internal static class AssemblyContracts
{
    private const string Attribute = "WeirContractAttribute";
    private const string Namespace = "Weir.Runtime";

    /// <summary>The texts, in the order of the services' names.</summary>
    /// <param name="name">The file as the user wrote it.</param>
    /// <param name="path">The file.</param>
    /// <exception cref="InputException">It cannot be read, is no assembly, or has no contract.</exception>
    public static IReadOnlyList<string> Read(string name, string path)
    {
        if (SpecialFiles.KindOf(path) is { } kind)
        {
            throw new InputException($"'{name}' is {kind}, and no .NET assembly; give a .dll.");
        }

        try
        {
            using var file = new PEReader(File.OpenRead(path));
            if (!file.HasMetadata)
            {
                throw new InputException($"'{name}' is no .NET assembly; give the .dll beside it.");
            }

            var metadata = file.GetMetadataReader();
            var texts = metadata.GetAssemblyDefinition().GetCustomAttributes().Select(metadata.GetCustomAttribute).Where(one => IsContract(metadata, one))
                .Select(one => Values(metadata.GetBlobReader(one.Value)))
                .OrderBy(static one => one.Service, StringComparer.Ordinal).Select(static one => one.Text).ToList();
            return texts.Count > 0 ? texts : throw new InputException(
                $"'{name}' has no contract: it declares no service that is served over HTTP, or it was built without Weir's generator; reference Weir.Abstractions and build it again.");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"'{name}' cannot be read: {failure.Message}", failure);
        }
        catch (BadImageFormatException failure)
        {
            throw new InputException($"'{name}' is no .NET assembly: {failure.Message}", failure);
        }
    }

    private static bool IsContract(MetadataReader metadata, CustomAttribute attribute)
    {
        // The attribute is in another assembly, so its constructor is a reference.
        if (attribute.Constructor.Kind != HandleKind.MemberReference
            || metadata.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent is not { Kind: HandleKind.TypeReference } parent)
        {
            return false;
        }

        var type = metadata.GetTypeReference((TypeReferenceHandle)parent);
        return metadata.StringComparer.Equals(type.Name, Attribute) && metadata.StringComparer.Equals(type.Namespace, Namespace);
    }

    // ECMA-335 II.23.3: a prolog of two bytes, then the arguments of the constructor.
    private static (string Service, string Text) Values(BlobReader blob)
    {
        _ = blob.ReadUInt16();
        return (blob.ReadSerializedString() ?? "", blob.ReadSerializedString() ?? "");
    }
}
