using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Handles that are closed together unless their ownership is passed on.</summary>
internal sealed class DescriptorGroup : IDisposable
{
    private readonly List<SafeHandle> _members = [];

    public Descriptor this[int index] => (Descriptor)_members[index];

    public void Add(SafeHandle member) => _members.Add(member);

    /// <summary>The descriptors from an index on.</summary>
    public Descriptor[] From(int index) => [.. _members.Skip(index).Cast<Descriptor>()];

    /// <summary>Gives every descriptor a number that dup2 in the child does not write to: the child has fewer than the group has members and 10 more.</summary>
    public void RaiseAll()
    {
        for (var i = 0; i < _members.Count; i++)
        {
            _members[i] = DescriptorSetup.Raise(this[i], DescriptorSetup.FirstFree + _members.Count);
        }
    }

    /// <summary>Passes the ownership on: the caller closes them from now on.</summary>
    public void Release() => _members.Clear();

    public void Dispose()
    {
        foreach (var member in _members)
        {
            member.Dispose();
        }
    }
}
