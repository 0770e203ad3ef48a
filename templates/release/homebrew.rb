class GitHandoff < Formula
  desc "Hand work from one coding agent to the next through git"
  homepage "{{home}}"
  version "{{version}}"
  license "MIT"

  depends_on "git"

  on_macos do
    on_arm do
      url "{{url}}/handoff-darwin-arm64"
      sha256 "{{sha256:handoff-darwin-arm64}}"
    end
  end
  on_linux do
    on_intel do
      url "{{url}}/handoff-linux-x64"
      sha256 "{{sha256:handoff-linux-x64}}"
    end
    on_arm do
      url "{{url}}/handoff-linux-arm64"
      sha256 "{{sha256:handoff-linux-arm64}}"
    end
  end

  def install
    bin.install Dir["handoff-*"].first => "handoff"
    bin.install_symlink "handoff" => "git-handoff"
  end

  test do
    assert_equal "#{version}\n", shell_output("#{bin}/handoff --version")
  end
end
